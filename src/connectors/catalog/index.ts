import type { ConnectorPlugin } from '../contract';
import { ANTHROPIC } from './anthropic';
import { BYPASS } from './bypass';
import { BANANA_IMG, GOOGLE } from './google';
import { OLLAMA } from './ollama';
import { OPENAI } from './openai';

/** Every connector, in the order in which `auto` looks for a configured one. */
export const CONNECTOR_PLUGINS: readonly ConnectorPlugin[] = [
  OPENAI,
  OLLAMA,
  ANTHROPIC,
  GOOGLE,
  BYPASS,
  // Last: `auto` never answers a question in pictures.
  BANANA_IMG,
];
