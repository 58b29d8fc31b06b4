import { withInstruction } from './model-requests';

const question = { role: 'user', content: 'Solve task 2' } as const;

describe('the instruction of an assessment window', () => {
  it('ends the system prompt of the assistant', () => {
    expect(withInstruction([{ role: 'system', content: 'Be kind.' }, question], 'Give hints only.')).toEqual([
      { role: 'system', content: 'Be kind.\n\nGive hints only.' },
      question,
    ]);
  });

  it('is the system prompt of an assistant that has none', () => {
    expect(withInstruction([question], 'Give hints only.')).toEqual([
      { role: 'system', content: 'Give hints only.' },
      question,
    ]);
  });
});
