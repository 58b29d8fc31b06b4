/** `prompt.differs` → `prompt_differs`, for keys of texts. */
export const codeKey = (code: string): string => code.replaceAll('.', '_');
