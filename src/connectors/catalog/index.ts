import type { ConnectorPlugin } from '../contract';
import { ANTHROPIC } from './anthropic';
import { BYPASS } from './bypass';
import { BANANA_IMG, GOOGLE } from './google';
import { OLLAMA } from './ollama';
import { OPENAI } from './openai';
import { QUOTES } from './quotes';

/** Every connector, in the order in which `auto` looks for a configured one. */
export const CONNECTOR_PLUGINS: readonly ConnectorPlugin[] = [
  OPENAI,
  OLLAMA,
  ANTHROPIC,
  GOOGLE,
  // Before `bypass`, so that it answers while no vendor is configured.
  QUOTES,
  BYPASS,
  // Last, so that `auto` does not choose an image model for a question.
  BANANA_IMG,
];

export const CONNECTOR_NAMES: readonly string[] = CONNECTOR_PLUGINS.flatMap(({ definition: { name, aliases } }) => [
  name,
  ...aliases,
]);
