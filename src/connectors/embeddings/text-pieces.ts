/** How far back from a limit a gap between words is looked for. */
const SEARCH_BACK = 80;

/** A text in one or more pieces of at most `max` characters, cut between words where there is a gap, never inside a character. */
export function piecesOf(text: string, max: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > max) {
    const end = cutBefore(text, from, from + max);
    pieces.push(text.slice(from, end));
    from = end;
  }
  pieces.push(text.slice(from));
  const filled = pieces.filter((piece) => piece.trim() !== '');
  return filled.length > 0 ? filled : [''];
}

function cutBefore(text: string, from: number, limit: number): number {
  for (let at = limit; at > Math.max(from + 1, limit - SEARCH_BACK); at -= 1) if (/\s/.test(text[at] ?? '')) return at;
  const isPair = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '');
  return isPair && limit - 1 > from ? limit - 1 : limit;
}
