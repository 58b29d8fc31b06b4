const MAX_TITLE = 80;

/** The first 80 characters of a question on one line, cut at a word. */
export function titleOf(question: string): string {
  const line = question.replace(/\s+/gu, ' ').trim();
  const characters = [...line];
  if (characters.length <= MAX_TITLE) return line;
  const start = characters.slice(0, MAX_TITLE).join('');
  const end = characters[MAX_TITLE] === ' ' ? start.length : start.lastIndexOf(' ');
  return `${(end > 0 ? start.slice(0, end) : start).trim()}…`;
}
