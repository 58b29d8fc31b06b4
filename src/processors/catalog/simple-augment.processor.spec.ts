import type { ChatMessage, Source } from '@bellwether/kernel';
import fc from 'fast-check';
import recorded from '../../../test/fixtures/classic/simple-augment.json';
import type { PromptInput } from '../contract';
import { EMPTY_PROMPT } from '../testing/settings';
import { SimpleAugmentProcessor } from './simple-augment.processor';

const processor = new SimpleAugmentProcessor();

const build = (input: Partial<PromptInput>): readonly ChatMessage[] =>
  processor.build({ ...EMPTY_PROMPT, ...input }).messages;

const asked = (content: ChatMessage['content']): ChatMessage[] => [{ role: 'user', content }];

interface RecordedSource {
  readonly type?: string;
  readonly title?: string;
  readonly url?: string;
  readonly similarity?: number;
}

/** Sources as LAMB hands them over, in our shape. */
function sourceOf({ type, title = 'Unknown', url = '', similarity = 0 }: RecordedSource): Source {
  if (type === 'rubric') return { type, rubric_id: 'r', title, format: 'markdown' };
  return { type: 'knowledge_base', title, url, similarity, document: null };
}

describe('recorded cases of LAMB', () => {
  it.each(recorded.map((each) => [each.name, each] as const))('%s', (_, each) => {
    const { capabilities } = each.metadata as { readonly capabilities?: { readonly vision: boolean } };
    const rag = each.rag && {
      context: each.rag.context,
      sources: (each.rag.sources as RecordedSource[]).map(sourceOf),
    };
    expect(
      build({
        messages: each.messages as ChatMessage[],
        systemPrompt: each.system_prompt,
        template: each.prompt_template,
        rag,
        vision: capabilities?.vision === true,
      }),
    ).toEqual(each.expected);
  });
});

describe('simple_augment', () => {
  const rag = { context: 'found', sources: [] };

  it('fills every occurrence and no other placeholder', () => {
    const template = '{context}{user_input}{context}|{1_context}{rubric}{{user_input}}\\frac{a}{b}';
    expect(build({ messages: asked('Q'), template, rag })).toEqual(
      asked('\n\nfound\n\n\n\nQ\n\n\n\nfound\n\n|{1_context}{rubric}{\n\nQ\n\n}\\frac{a}{b}'),
    );
  });

  it('does not expand a placeholder in the question or in the context', () => {
    const hostile = '{context} {user_input} $& $1 $$';
    expect(
      build({ messages: asked(hostile), template: '{user_input}{context}', rag: { ...rag, context: hostile } }),
    ).toEqual(asked(`\n\n${hostile}\n\n\n\n${hostile}\n\n`));
  });

  it('refuses to multiply the context into a text that no memory holds', () => {
    const rag = { context: 'x'.repeat(1_000_000), sources: [] };
    const long = { messages: asked('?'), template: '{context}'.repeat(40_000), rag };
    expect(() => build(long)).toThrow(expect.objectContaining({ code: 'payload_too_large' }));
  });

  it('renders nothing for a context that could not be fetched', () => {
    expect(build({ messages: asked('Q'), template: 'C={context}.', rag: null })).toEqual(asked('C=.'));
  });

  it('rewrites the last user message and passes on what follows it', () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const answer: ChatMessage = { role: 'tool', tool_call_id: 'c1', content: '{user_input}' };
    expect(build({ messages: [...asked('one'), ...asked('two'), call, answer], template: '<{user_input}>' })).toEqual([
      ...asked('one'),
      ...asked('<\n\ntwo\n\n>'),
      call,
      answer,
    ]);
  });

  it('keeps other members of the rewritten message', () => {
    expect(build({ messages: [{ role: 'user', name: 'ana', content: 'Q' }], template: '{user_input}' })).toEqual([
      { role: 'user', name: 'ana', content: '\n\nQ\n\n' },
    ]);
  });

  it('passes a conversation without a user message on as it is', () => {
    const messages: ChatMessage[] = [{ role: 'assistant', content: 'Hello' }];
    expect(build({ messages, template: '{user_input}' })).toEqual(messages);
  });

  it('puts images behind the text where the assistant has vision', () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
    const messages = asked([image, { type: 'text', text: 'What is this?' }]);
    expect(build({ messages, template: '{user_input}', vision: true })).toEqual(
      asked([{ type: 'text', text: '\n\nWhat is this?\n\n' }, image]),
    );
  });

  it('leaves images out of the whole conversation where it has none, and counts them', () => {
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
    const messages = [
      ...asked([{ type: 'text', text: 'one' }, image]),
      { role: 'assistant' as const, content: [{ type: 'refusal', refusal: 'no' }] },
      ...asked([image, image]),
    ];
    expect(processor.build({ ...EMPTY_PROMPT, messages })).toEqual({
      messages: [...asked('one'), messages[1], ...asked('')],
      droppedParts: 3,
    });
  });

  it('equals the template with its slots replaced by hand, for any question and any context', () => {
    const piece = fc.constantFrom('{user_input}', '{context}', '{', '}', 'text', '{name}', '$&', '\n');
    const content = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(fc.array(piece), content, content, (parts, question, context) => {
        const template = `T${parts.join('')}`;
        const filled = template
          .split('{user_input}')
          .map((part) => part.split('{context}').join(`\n\n${context}\n\n`))
          .join(`\n\n${question}\n\n`);
        expect(build({ messages: asked(question), template, rag: { context, sources: [] } })).toEqual(asked(filled));
      }),
    );
  });
});
