import fc from 'fast-check';
import { augment } from '../augment';
import { EMPTY_PROMPT } from '../testing/settings';
import { MoodleAugmentProcessor } from './moodle-augment.processor';

const userText = jest.fn(async () => ({ text: '11763', warnings: ['late'] }));
const processor = new MoodleAugmentProcessor({ userText });

const filled = (template: string, user: string, question = 'Q', context = 'found'): unknown =>
  processor.build({
    ...EMPTY_PROMPT,
    template,
    messages: [{ role: 'user', content: question }],
    rag: { context, sources: [] },
    gathered: new Map([['moodle_user', user]]),
  }).messages[0]?.content;

describe('moodle_augment', () => {
  it('asks who the caller is in the organization of the assistant', async () => {
    const caller = { organizationId: 'org', userId: 'student' } as never;
    const { signal } = new AbortController();
    const owner = { organizationId: 'org', userId: 'owner' };
    expect(await processor.gather({ caller, owner, signal })).toEqual({
      values: new Map([['moodle_user', '11763']]),
      warnings: ['late'],
    });
    expect(userText).toHaveBeenCalledWith(caller, 'org', signal);
  });

  it('fills its three slots and leaves every other brace', () => {
    expect(filled('I am {moodle_user}. {context}{user_input}{1_moodle_user}{rubric}\\frac{a}{b}', '7')).toBe(
      'I am \n\n7\n\n. \n\nfound\n\n\n\nQ\n\n{1_moodle_user}{rubric}\\frac{a}{b}',
    );
  });

  it('leaves nothing in the slot when nobody is known: never "default"', () => {
    expect(filled('[{moodle_user}]', '')).toBe('[]');
  });

  it('fills in one pass: no value is ever looked at again', () => {
    const slots = fc.constantFrom('{user_input}', '{context}', '{moodle_user}', '$&', '$1', '{x}', '{', '}', 'a');
    const text = fc.array(slots, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, text, text, (template, user, question, context) => {
        const values = new Map([
          ['{user_input}', `\n\n${question}\n\n`],
          ['{context}', `\n\n${context}\n\n`],
          ['{moodle_user}', user === '' ? '' : `\n\n${user}\n\n`],
        ]);
        const pieces = template.split(/(\{user_input\}|\{context\}|\{moodle_user\})/);
        const expected = template === '' ? question : pieces.map((piece) => values.get(piece) ?? piece).join('');
        expect(filled(template, user, question, context)).toBe(expected);
      }),
    );
  });

  it('is simple_augment for templates without its slot', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (template, question) => {
        fc.pre(!template.includes('{moodle_user}'));
        const input = { ...EMPTY_PROMPT, template, messages: [{ role: 'user' as const, content: question }] };
        const gathered = new Map([['moodle_user', '7']]);
        expect(processor.build({ ...input, gathered })).toEqual(augment(input));
      }),
    );
  });
});
