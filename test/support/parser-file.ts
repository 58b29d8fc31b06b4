import { compiledFile } from './compiled';

/** Stands in for `src/extraction/processes/parser-file`: global set-up compiles the entry of a parser process. */
export const PARSER_FILE = compiledFile('src/extraction/processes/parser-main.js');
