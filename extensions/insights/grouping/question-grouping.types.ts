export const GROUPINGS = ['words', 'meaning'] as const;
/** `words`: by the words in common. `meaning`: by the vectors of an embedding model. */
export type QuestionGrouping = (typeof GROUPINGS)[number];
