import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import regexp from 'eslint-plugin-regexp';
import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';

const nodeGlobals = {
  process: 'readonly',
  console: 'readonly',
  Buffer: 'readonly',
  URL: 'readonly',
  URLSearchParams: 'readonly',
  fetch: 'readonly',
  FormData: 'readonly',
  Blob: 'readonly',
  AbortController: 'readonly',
  AbortSignal: 'readonly',
  TextDecoder: 'readonly',
  TextEncoder: 'readonly',
  performance: 'readonly',
  setTimeout: 'readonly',
  clearTimeout: 'readonly',
  setInterval: 'readonly',
  clearInterval: 'readonly',
  setImmediate: 'readonly',
  structuredClone: 'readonly',
  module: 'writable',
  require: 'readonly',
  __dirname: 'readonly',
};

/** Doc comments that cannot be read without the line below them: they begin with a preposition or a pronoun. */
const HEADLESS = /^\*\s*(?:\*\s*)?(?:Of|By|In|For|Where|Within|To be|Those|It|As|What|Who|Whom|Nobody)\b/;

const standaloneComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { headless: 'Begin with the subject, so that the comment can be read without the line below it.' },
  },
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const comment of sourceCode.getAllComments()) {
        if (comment.type === 'Block' && HEADLESS.test(comment.value))
          report({ loc: comment.loc, messageId: 'headless' });
      }
    },
  }),
};

const browserGlobals = { window: 'readonly', document: 'readonly', navigator: 'readonly', localStorage: 'readonly' };

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      'node_modules/**',
      'coverage/**',
      'data/**',
      'bench/peers/**',
      'bench/results/**',
      // Compiled by test/e2e/rest-client.spec.ts, with types that it makes.
      'examples/rest-client/**',
      'web/build/**',
      'web/.svelte-kit/**',
      'web/src/lib/kit/api/schema.d.ts',
    ],
  },
  js.configs.recommended,
  {
    files: ['**/*.{mjs,cjs,js}'],
    languageOptions: { globals: nodeGlobals, ecmaVersion: 2024 },
  },
  {
    files: ['**/*.ts'],
    ignores: ['web/**'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      complexity: ['error', 12],
      'max-lines': ['error', { max: 500 }],
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a string-literal union from an `as const` array.' },
        {
          selector: "MemberExpression[object.name='process'][property.name='env']",
          message: 'Only platform/config reads the environment.',
        },
        {
          selector:
            "BinaryExpression[operator=/^[!=]==$/] > CallExpression[callee.object.name='JSON'][callee.property.name='stringify']",
          message: 'The order of members is not ours: compare with `sameJson` of the kernel.',
        },
        {
          selector: "CatchClause CallExpression[callee.property.name='discard']",
          message: 'The transaction may have committed: use `discardAfter(error, …)`, which decides.',
        },
        {
          selector: "NewExpression[callee.name='LRUCache'] > ObjectExpression > Property[key.name='max']",
          message: 'It reserves memory for all entries at once: use `atMost` of the kernel.',
        },
      ],
    },
  },
  {
    files: ['src/main.ts', 'src/cli.ts', 'src/index.ts', 'packages/**/*.spec.ts', 'test/**/*.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 600 }],
      // Answers of the service are asserted on, not typed.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    // Nest modules are empty classes by design.
    files: ['{src,extensions}/**/*.module.ts'],
    rules: { '@typescript-eslint/no-extraneous-class': 'off' },
  },
  {
    // Types are svelte-check's; it reads what the compiler reads.
    files: ['web/**/*.{ts,svelte}'],
    extends: [tseslint.configs.recommended],
    languageOptions: {
      globals: { ...nodeGlobals, ...browserGlobals },
      parserOptions: { parser: tseslint.parser, extraFileExtensions: ['.svelte'] },
    },
    rules: {
      complexity: ['error', 12],
      'max-lines': ['error', { max: 400 }],
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-undef': 'off',
      'svelte/no-at-html-tags': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "BinaryExpression[operator=/^[!=]==$/] > CallExpression[callee.object.name='JSON'][callee.property.name='stringify']",
          message: 'The order of keys is not ours: compare with `same` of kit/ui/differences.',
        },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    files: ['{src,extensions,packages,migrations}/**/*.ts', 'web/**/*.{ts,svelte}'],
    plugins: { bellwether: { rules: { 'standalone-comments': standaloneComments } } },
    rules: { 'bellwether/standalone-comments': 'error' },
  },
  {
    // A hostile text must not stop the process: every pattern takes time in proportion to the text.
    files: ['{src,extensions,packages,migrations}/**/*.ts', 'scripts/**/*.mjs', 'web/src/**/*.{ts,svelte}'],
    ignores: ['**/*.spec.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
    },
  },
  ...svelte.configs.recommended.map((config) => ({ ...config, files: config.files ?? ['web/**/*.{ts,svelte}'] })),
  {
    // Addresses are plain: the UI is served at the root. Stands after the recommended rules, which switch it on.
    files: ['web/**/*.{ts,svelte}'],
    rules: { 'svelte/no-navigation-without-resolve': 'off' },
  },
  {
    files: ['web/**/*.svelte'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    rules: { 'prefer-const': 'off', 'svelte/prefer-const': 'off' },
  },
  {
    // Answers of the service are asserted on, not typed; a fixture that needs no other says so by an empty pattern.
    files: ['web/e2e/**/*.ts'],
    rules: { '@typescript-eslint/no-explicit-any': 'off', 'no-empty-pattern': 'off' },
  },
  {
    files: ['web/*.ts', 'web/**/*.spec.ts'],
    rules: { 'no-restricted-exports': 'off', 'max-lines': ['error', { max: 600 }] },
  },
  prettier,
);
