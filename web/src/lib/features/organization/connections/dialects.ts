interface Dialect {
  readonly dialect: string;
  /** Name of a vendor or a program, which no language translates. */
  readonly product: string;
  /** The vendor's own address. */
  readonly address?: string;
  readonly hasModels?: true;
}

export const DIALECTS: Readonly<Record<'reranker' | 'translator', readonly Dialect[]>> = {
  reranker: [
    { dialect: 'cohere', product: 'Cohere', address: 'https://api.cohere.com', hasModels: true },
    { dialect: 'jina', product: 'Jina, vLLM', address: 'https://api.jina.ai', hasModels: true },
    { dialect: 'tei', product: 'Text Embeddings Inference' },
  ],
  translator: [
    { dialect: 'apertium', product: 'Apertium APy' },
    { dialect: 'libretranslate', product: 'LibreTranslate' },
  ],
};

export const TEXTS = {
  reranker: {
    test: '/api/v1/organizations/{slug}/reranker/test',
    title: 'ranking.reranker.title',
    about: 'ranking.reranker.about',
    dialect: 'ranking.reranker.dialect',
    none: 'ranking.reranker.none',
    key: 'ranking.reranker.key',
  },
  translator: {
    test: '/api/v1/organizations/{slug}/translator/test',
    title: 'organization.translator.title',
    about: 'organization.translator.about',
    dialect: 'organization.translator.dialect',
    none: 'organization.translator.none',
    key: 'organization.translator.key',
  },
} as const;
