import { Injectable } from '@nestjs/common';
import type { Tool, ToolDefinition, ToolOutput } from '../contract';

/** Does nothing and fills no slot: what classic assistants without retrieval are converted from. */
@Injectable()
export class NoRagTool implements Tool {
  readonly definition: ToolDefinition = DEFINITION;

  run(): ToolOutput {
    return { content: '', sources: [], confidence: null };
  }
}

const DEFINITION: ToolDefinition = {
  name: 'no_rag',
  aliases: ['no_tool'],
  display_name: 'No Processing',
  description: 'Adds nothing to the prompt; for testing.',
  texts: {
    es: { name: 'Sin procesamiento', about: 'No añade nada al prompt; para pruebas.' },
    ca: { name: 'Sense processament', about: 'No afegeix res al prompt; per fer proves.' },
    eu: { name: 'Prozesatu gabe', about: 'Ez dio prompti ezer gehitzen; probetarako.' },
  },
  placeholder: null,
  category: 'none',
  role: 'nothing',
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'circle-off',
  allow_multiple: false,
  config_schema: { type: 'object', properties: {}, additionalProperties: false },
  parameters: {},
  examples: [{ query: 'Hello', parameters: {}, expected_result: 'Nothing.' }],
  capabilities: [],
  limitations: ['Does nothing.'],
  cost: { unit: 'none', estimate: 0 },
};
