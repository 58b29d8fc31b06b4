/** A value of the document as people read it: JSON with line breaks where it has parts. */
export const documentText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** `prompt.differs` → `prompt_differs`, for keys of texts. */
export const codeKey = (code: string): string => code.replaceAll('.', '_');
