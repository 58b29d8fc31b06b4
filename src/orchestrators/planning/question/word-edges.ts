const LETTER = String.raw`[\p{L}\p{M}\p{N}_]`;
const EDGE = `(?:(?<!${LETTER})(?=${LETTER})|(?<=${LETTER})(?!${LETTER}))`;

/** Replaces `\b` by a word boundary for all scripts: JavaScript's own knows ASCII letters only. */
export const wordEdges = ({ source, flags }: RegExp): RegExp => new RegExp(source.replaceAll('\\b', EDGE), flags);
