/** Languages of the web UI. */
export const DISPLAY_LANGUAGES = ['en', 'es', 'ca', 'eu'] as const;
export type DisplayLanguage = (typeof DISPLAY_LANGUAGES)[number];

export interface DisplayText {
  readonly name: string;
  /** One sentence on what it does. */
  readonly about: string;
}

export type DisplayTexts = Readonly<Partial<Record<DisplayLanguage, DisplayText>>>;

/** Icons (lucide.dev) that the web UI draws; another name is drawn as a wrench. */
export const TOOL_ICONS = [
  'book-open',
  'circle-off',
  'clipboard-check',
  'cloud-sun',
  'combine',
  'file-text',
  'graduation-cap',
  'id-card',
  'image',
  'list-checks',
  'merge',
  'message-square',
  'plug',
  'scan-search',
  'shield-alert',
  'text-search',
  'wrench',
] as const;
