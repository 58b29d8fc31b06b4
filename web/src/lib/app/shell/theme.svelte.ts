import { keep, kept } from '$lib/kit/i18n/kept';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED = 'bellwether.theme';

/** Light or dark, as the reader chose in this browser; `system` follows the device. */
class ThemeChoice {
  current = $state<Theme>('system');

  constructor() {
    const stored = kept(STORED);
    this.show(THEMES.find((theme) => theme === stored) ?? 'system');
  }

  use(theme: Theme): void {
    keep(STORED, theme);
    this.show(theme);
  }

  private show(theme: Theme): void {
    this.current = theme;
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }
}

export const theme = new ThemeChoice();
