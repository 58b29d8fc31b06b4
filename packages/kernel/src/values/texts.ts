/** Languages of the UI beside English. */
export const TRANSLATIONS = ['es', 'ca', 'eu'] as const;
export type Translation = (typeof TRANSLATIONS)[number];

/** Texts of a plugin in the other languages of the UI; the English ones are members of its definition. */
export type Translated<Text extends string> = Readonly<Record<Translation, Readonly<Record<Text, string>>>>;
