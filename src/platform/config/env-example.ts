import { VARIABLES, type Variable } from './variables';

/** The text of `.env.example`: every variable, commented out at its default. A test keeps the file equal to this. */
export function envExample(): string {
  const entries = Object.entries(VARIABLES as Record<string, Variable<unknown>>).map(
    ([name, { about, fallback, production }]) =>
      [`# ${about}${production === true ? ' Required in production.' : ''}`, `# ${name}=${fallback ?? ''}`].join('\n'),
  );
  return `# Bellwether reads these from the environment. Every one is optional unless it says otherwise.\n\n${entries.join('\n\n')}\n`;
}
