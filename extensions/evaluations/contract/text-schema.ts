/** Names of the one setting, a text, in English and in the other languages of the UI. */
interface Titles {
  readonly en: string;
  readonly es: string;
  readonly ca: string;
  readonly eu: string;
}

/** Schema of an expectation whose one setting is a text. */
export const textSchema = ({ en, es, ca, eu }: Titles) => ({
  type: 'object',
  properties: {
    text: {
      type: 'string',
      minLength: 1,
      maxLength: 2_000,
      pattern: '\\S',
      title: en,
      'x-texts': { es: { title: es }, ca: { title: ca }, eu: { title: eu } },
    },
  },
  required: ['text'],
  additionalProperties: false,
});
