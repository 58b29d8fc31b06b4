import type { Parser } from './parsers';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Variable<T> {
  readonly name: string;
  readonly parse: Parser<T>;
  /** Default, as written in the environment. Undefined: the value is null while the variable is unset. */
  readonly fallback: string | undefined;
  /** Must be set when `NODE_ENV=production`. */
  readonly production: boolean;
}

/** Written as in `.env.example`: `PORT=3000` has a default, `PUBLIC_URL` is null while it is unset. */
export function variable<T, const Line extends string>(
  line: Line,
  parse: Parser<T>,
  { production = false } = {},
): Variable<Line extends `${string}=${string}` ? T : T | null> {
  const [name = '', ...rest] = line.split('=');
  const fallback = rest.length === 0 ? undefined : rest.join('=');
  return { name, parse, fallback, production };
}

export const valueIn = (env: Environment, name: string): string | undefined => {
  const given = env[name]?.trim();
  return given === '' ? undefined : given;
};

export type VariableGroup = { readonly [member: string]: Variable<unknown> | VariableGroup };

export const isVariable = (entry: Variable<unknown> | VariableGroup): entry is Variable<unknown> =>
  typeof entry['parse'] === 'function';

/** Every variable of a group, in order. */
export const variablesOf = (group: VariableGroup): readonly Variable<unknown>[] =>
  Object.values(group).flatMap((entry) => (isVariable(entry) ? [entry] : variablesOf(entry)));

/** The shape of a group with values in place of its variables. */
export type ValuesOf<Group> = {
  readonly [Member in keyof Group]: Group[Member] extends Variable<infer T> ? T : ValuesOf<Group[Member]>;
};
