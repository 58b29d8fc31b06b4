import type { Dialect } from '../upstream-dialect';
import { ANTHROPIC } from './anthropic';
import { GOOGLE } from './google';
import { OLLAMA } from './ollama';
import { OPENAI } from './openai';

/** Every wire format that the scripted upstream speaks; a new vendor is a file and a line. */
export const DIALECTS: readonly Dialect[] = [OPENAI, OLLAMA, ANTHROPIC, GOOGLE];
