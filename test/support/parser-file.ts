import { compiledFile } from './compiled';

/** Stands in for `packages/extraction/src/processes/parser-file`: global set-up compiles the entry of a parser process. */
export const PARSER_FILE = compiledFile('packages/extraction/src/processes/parser-main.js');
