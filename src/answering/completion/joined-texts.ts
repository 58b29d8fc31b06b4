/** The texts of a model's rounds as one text. */
export const joinedTexts = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');
