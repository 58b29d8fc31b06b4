import { join } from 'node:path';

/** The compiled entry of a parser process, beside this file. */
export const PARSER_FILE = join(__dirname, 'parser-main.js');
