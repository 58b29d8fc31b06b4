import { droppedPartsText } from './assemble-messages';

describe('the warning about parts that a model without vision was not sent', () => {
  it.each([
    [1, 'A part of the message that is not text was left out: the assistant has no vision'],
    [2, '2 parts of the messages that are not text were left out: the assistant has no vision'],
  ])('of %i says so in its number', (count, text) => expect(droppedPartsText(count)).toBe(text));
});
