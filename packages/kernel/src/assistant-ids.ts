/** Largest id that the column can hold. */
const MAX_ID = 2_147_483_647;

/** Id of the assistant in the run of a definition that is not stored. Ids of assistants begin at 1. */
export const NO_ASSISTANT = 0;

/** Range of ids that the database accepts. */
export const isAssistantId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_ID;
