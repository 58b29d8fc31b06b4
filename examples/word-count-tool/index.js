import { definePlugin, ToolFailure } from '@bellwether/plugin';

/** @import { Tool, ToolDefinition } from '@bellwether/plugin' */

/**
 * Tells the model how many words the question has.
 * @implements {Tool<{ label: string, most: number }>}
 */
export class WordCountTool {
  /** @type {ToolDefinition} */
  definition = {
    name: 'word_count',
    aliases: [],
    display_name: 'Word count',
    description: 'Counts the words of the question.',
    texts: {
      es: { name: 'Recuento de palabras', about: 'Cuenta las palabras de la pregunta.' },
      ca: { name: 'Recompte de paraules', about: 'Compta les paraules de la pregunta.' },
      eu: { name: 'Hitz kopurua', about: 'Galderaren hitzak zenbatzen ditu.' },
    },
    placeholder: 'count',
    category: 'custom',
    role: 'content',
    version: '1.0.0',
    kind: 'pipeline',
    icon: 'wrench',
    allow_multiple: true,
    config_schema: {
      type: 'object',
      properties: {
        label: { type: 'string', title: 'Label', maxLength: 40, default: 'Words' },
        most: { type: 'integer', title: 'Most words', minimum: 1, default: 500 },
      },
      additionalProperties: false,
    },
    parameters: {},
    examples: [{ query: 'Why is the sky blue?', parameters: { label: 'Words' }, expected_result: 'Words: 5' }],
    capabilities: ['text'],
    limitations: ['Splits at white space.'],
    cost: { unit: 'none', estimate: 0 },
  };

  /** Equal questions give equal results. */
  caching = { contentVersion: () => Promise.resolve('1') };

  /** @type {Tool<{ label: string, most: number }>['run']} */
  async run({ label, most }, { query }, context) {
    context.progress('counting words');
    const words = query.split(/\s+/).filter((word) => word !== '').length;
    if (words > most) throw new ToolFailure('tool.limit', `the question has more than ${most} words`);
    return { content: `${label}: ${words}`, sources: [], confidence: null };
  }
}

export default definePlugin({ tools: [WordCountTool] });
