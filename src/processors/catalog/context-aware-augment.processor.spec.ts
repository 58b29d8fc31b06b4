import type { ToolInput } from '../../tools';
import type { ProcessorDefinition, RagProcessor } from '../contract';
import { augment } from '../augment';
import { context, EMPTY_PROMPT, INPUT, settings } from '../testing/settings';
import { ContextAwareAugmentProcessor } from './context-aware-augment.processor';

const rewrite = jest.fn(async () => ({ text: 'the whole question', rewritten: true, warnings: ['slow'] }));

const SIMPLE: ProcessorDefinition = { name: 'simple_rag', aliases: [], description: '', slots: ['context'] };

function rag(traits: Partial<RagProcessor> = {}): RagProcessor & { readonly asked: ToolInput[] } {
  const asked: ToolInput[] = [];
  return {
    asked,
    definition: SIMPLE,
    run: async (_, input) => {
      asked.push(input);
      return { content: 'found', sources: [], confidence: null, warnings: ['half'] };
    },
    ...traits,
  };
}

const processor = new ContextAwareAugmentProcessor({ rewrite });

describe('context_aware_augment', () => {
  it('builds what simple_augment builds', () => {
    const input = { ...EMPTY_PROMPT, messages: INPUT.messages, template: '{user_input}{moodle_user}' };
    expect(processor.build(input)).toEqual(augment(input));
  });

  it('asks the RAG processor the question of the whole conversation', async () => {
    const inner = rag();
    const outer = processor.around(inner);
    expect(outer.definition).toBe(inner.definition);
    expect(await outer.run(settings(), INPUT, context())).toEqual({
      content: 'found',
      sources: [],
      confidence: null,
      warnings: ['slow', 'half'],
      query: 'the whole question',
    });
    expect(inner.asked).toEqual([{ query: 'the whole question', messages: INPUT.messages }]);
    expect(outer.outputLimit?.(settings())).toBe(Infinity);
  });

  it('leaves a processor alone that words the question itself, or fetches nothing', () => {
    for (const inner of [rag({ rewrites: true }), rag({ definition: { ...SIMPLE, slots: [] } })])
      expect(processor.around(inner)).toBe(inner);
  });

  it('ends with the run', async () => {
    rewrite.mockRejectedValueOnce(new Error('gone'));
    await expect(processor.around(rag()).run(settings(), INPUT, context())).rejects.toThrow('gone');
  });
});
