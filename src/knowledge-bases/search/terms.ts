/** Lexemes of a text in a configuration, as `tsvector`; both are SQL expressions. The one way for chunks and questions alike. */
export const termsOf = (configuration: string, text: string): string =>
  `to_tsvector(${configuration}::regconfig, ${text})`;
