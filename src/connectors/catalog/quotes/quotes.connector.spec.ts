import { uuidv7 } from '@bellwether/kernel';
import type { ModelRequest } from '../../contract';
import { describeConnector } from '../../testing/connector.conformance';
import { QUOTES } from './quotes.connector';

const NOWHERE = { baseUrl: '', apiKey: null, trusted: false };
const context = { signal: new AbortController().signal, runId: uuidv7(), emit: () => undefined };

describeConnector('quotes', {
  connector: () => QUOTES.connect({} as never),
  target: () => NOWHERE,
  vendor: null,
  answerTo: () =>
    'No material was found for this question.\n\n*These are quotations; connect a model for written answers.*',
  model: 'quotes',
});

const PASSAGES = [{ n: 3, title: 'Cells', text: 'Ribosomes make\nproteins. Cells divide.' }];

const answerTo = async (question: string, passages = PASSAGES): Promise<string> => {
  const request: ModelRequest = {
    model: 'quotes',
    messages: [{ role: 'user', content: `Secret instructions. ${question}` }],
    params: {},
    material: { question, passages },
  };
  return (await QUOTES.connect({} as never).complete(request, NOWHERE, context)).text;
};

describe('an answer of quotations', () => {
  it('is quotes with their numbers and one note', async () => {
    expect(await answerTo('What do ribosomes make?')).toBe(
      '> Ribosomes make proteins. [3]\n\n*These are quotations; connect a model for written answers.*',
    );
  });

  it('says that it shows how the material begins', async () => {
    expect(await answerTo('What is this chapter about?')).toMatch(/^The material begins:\n\n> Ribosomes make proteins/);
  });

  it('is the same every time', async () => {
    expect(await answerTo('What do ribosomes make?')).toBe(await answerTo('What do ribosomes make?'));
  });

  it('says so when the material has no answer, and when there is no material', async () => {
    expect(await answerTo('Who won the world cup?')).toMatch(/^The material has no answer to this question\./);
    expect(await answerTo('Who won the world cup?', [])).toMatch(/^No material was found for this question\./);
  });

  it.each([
    ['¿Quién ganó la copa del mundo?', 'El material no responde'],
    ['Qui va guanyar la copa del món?', 'El material no respon aquesta'],
    ['Nork irabazi zuen munduko kopa?', 'Materialak ez du'],
    ['Zer dio materialak honi buruz: «The world in the cup»?', 'Materialak ez du'],
    ['Fes-me una pregunta sobre «The world in the cup».', 'El material no respon aquesta'],
  ])('speaks the language of the question: %s', async (question, words) => {
    expect(await answerTo(question)).toContain(words);
  });

  it('never shows the prompt', async () => {
    expect(await answerTo('What do ribosomes make?')).not.toContain('Secret');
  });
});
