import type { MessageKey } from '$lib/kit/i18n/keys';

export interface HelpGroup {
  readonly title: MessageKey;
  readonly slugs: readonly string[];
}

/** Pages by their readers. A page that no group names is listed under the last one. */
export const GROUPS: readonly HelpGroup[] = [
  {
    title: 'help.teachers',
    slugs: [
      'first-steps',
      'recipes',
      'make-an-assistant',
      'ask-and-see',
      'assistant-tests',
      'receipts',
      'material',
      'chat',
      'what-the-class-asks',
      'web',
      'documents',
      'strategies',
      'planning',
      'functions',
      'assistants-as-tools',
      'search-and-check-tools',
      'images',
      'moodle',
      'groups',
    ],
  },
  {
    title: 'help.administrators',
    slugs: [
      'organization',
      'connectors',
      'embeddings',
      'mcp',
      'sso',
      'learning-platforms',
      'lti-bridge',
      'limits',
      'usage',
      'privacy',
      'audit',
      'migrate',
      'move-from-lamb',
      'tools-resilience',
    ],
  },
  {
    title: 'help.operators',
    slugs: [
      'operate',
      'small-build',
      'observe',
      'deploy-with-sso',
      'kubernetes',
      'sizing',
      'backup',
      'files-in-s3',
      'plugins',
      'threats',
      'support',
    ],
  },
  { title: 'help.developers', slugs: ['assistants', 'knowledge-bases', 'runs', 'retrieval'] },
];
