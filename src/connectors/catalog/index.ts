import type { Type } from '@nestjs/common';
import type { Connector } from '../contract';
import { AnthropicConnector } from './anthropic';
import { BypassConnector } from './bypass';
import { BananaImgConnector } from './banana-img';
import { GoogleConnector } from './google';
import { OllamaConnector } from './ollama';
import { OpenAiConnector } from './openai';

/** Every connector, in the order in which `auto` looks for a configured one. Adding a vendor is a folder and a line. */
export const CONNECTOR_CATALOG: readonly Type<Connector>[] = [
  OpenAiConnector,
  OllamaConnector,
  AnthropicConnector,
  GoogleConnector,
  BypassConnector,
  // After the one that always answers: pictures are no answer to a question that asked for none.
  BananaImgConnector,
];
