import KeyRound from '@lucide/svelte/icons/key-round';
import Keyboard from '@lucide/svelte/icons/keyboard';
import LogOut from '@lucide/svelte/icons/log-out';
import Monitor from '@lucide/svelte/icons/monitor';
import { t } from '$lib/kit/i18n/i18n.svelte';
import { signOut } from '$lib/app/session/doors';
import { session } from '$lib/app/session/session.svelte';
import { showKeyboard } from './shortcuts.svelte';
import type { MenuItem } from '$lib/kit/ui/Menu.svelte';
import { toasts } from '$lib/kit/ui/toasts.svelte';

const leave = (): Promise<void> =>
  toasts.attempt(async () => {
    // A whole load: nothing of the one who left stays in memory.
    location.assign(await signOut());
  });

/** The menu of the account. */
export const accountItems = (): readonly MenuItem[] => [
  { label: t('shell.account.keys'), href: '/account/api-keys', icon: KeyRound },
  // Administrators find groups among the pages of the organization.
  ...(session.isAdmin ? [] : [{ label: t('organization.nav.groups'), href: '/organization/groups' }]),
  { label: t('shell.account.sessions'), href: '/account/sessions', icon: Monitor },
  { label: t('help.title'), href: '/help', testid: 'help' },
  { label: t('shell.account.keyboard'), icon: Keyboard, onselect: showKeyboard, testid: 'open-keyboard-sheet' },
  {
    label: t('shell.account.sign_out'),
    icon: LogOut,
    divided: true,
    onselect: () => void leave(),
    testid: 'sign-out',
  },
];
