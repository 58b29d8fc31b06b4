import type { ChatMessage } from '@bellwether/kernel';
import type { LanguageDetector } from '../../infrastructure/languages';
import type { PreparedPrompt } from '../../runs';
import type { Completion } from '../completion.types';
import { GroundedAnswers } from './grounded-answers.service';

const speaks = (language: string | null) =>
  new GroundedAnswers({ among: async () => language } as unknown as LanguageDetector);

const completion = (onlyFromMaterial: boolean, question = 'Who won?'): Completion =>
  ({
    assistant: { document: { onlyFromMaterial, systemPrompt: 'Be kind.', template: '' } },
    request: { messages: [{ role: 'user', content: question }] },
  }) as unknown as Completion;

const prompt = (messages: readonly ChatMessage[], fit?: PreparedPrompt['fit']): PreparedPrompt =>
  ({ messages, ...(fit === undefined ? {} : { fit }) }) as unknown as PreparedPrompt;

const SYSTEM: ChatMessage = { role: 'system', content: 'Be kind.' };
const USER: ChatMessage = { role: 'user', content: 'Who won?' };

describe('an assistant that answers only from the material', () => {
  it('tells the model so, behind what the author wrote', async () => {
    const { messages } = await speaks('ca').instructed(completion(true), prompt([SYSTEM, USER]));
    expect(messages).toEqual([
      { role: 'system', content: expect.stringMatching(/^Be kind\.\n\nRespon només amb el material/) },
      USER,
    ]);
    const { messages: bare } = await speaks(null).instructed(completion(true), prompt([USER]));
    expect(bare).toEqual([{ role: 'system', content: expect.stringMatching(/^Answer only from/) }, USER]);
  });

  it.each([
    ['nothing', 'es', 'El material de este asistente no responde a esta pregunta.'],
    ['unread', 'en', 'The material of this assistant could not be read. Please ask again later.'],
    ['nothing', null, 'The material of this assistant does not answer this question.'],
    ['fits', 'en', null],
    [undefined, 'en', null],
  ] as const)('answers without a model where the material is %s, in the language %s', async (fit, language, text) => {
    expect(await speaks(language).fixedAnswer(completion(true), prompt([], fit))).toBe(text);
  });

  it('leaves a greeting to the model', async () => {
    expect(await speaks('en').fixedAnswer(completion(true, 'Hello!'), prompt([], 'nothing'))).toBeNull();
  });
});

it('changes nothing for other assistants', async () => {
  const prepared = prompt([SYSTEM, USER], 'nothing');
  expect(await speaks('en').instructed(completion(false), prepared)).toBe(prepared);
  expect(await speaks('en').fixedAnswer(completion(false), prepared)).toBeNull();
});
