const LETTER = String.raw`[\p{L}\p{M}\p{N}_]`;
const EDGE = `(?:(?<!${LETTER})(?=${LETTER})|(?<=${LETTER})(?!${LETTER}))`;

/** The same pattern with `\b` at the edges of words of every language: JavaScript's own knows ASCII letters only. */
export const wordEdges = ({ source, flags }: RegExp): RegExp => new RegExp(source.replaceAll('\\b', EDGE), flags);
