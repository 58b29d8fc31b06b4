import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import Globe from '@lucide/svelte/icons/globe';
import History from '@lucide/svelte/icons/rotate-ccw';
import MessageSquare from '@lucide/svelte/icons/message-square';
import Pencil from '@lucide/svelte/icons/pencil';
import Power from '@lucide/svelte/icons/power';
import Share from '@lucide/svelte/icons/share-2';
import Trash from '@lucide/svelte/icons/trash';
import Upload from '@lucide/svelte/icons/upload';
import { chatOf, pageOf, type Assistant } from '$lib/definition/assistant';
import { t } from '$lib/i18n/i18n.svelte';
import type { MenuItem } from '$lib/ui/Menu.svelte';
import { toasts } from '$lib/ui/toasts.svelte';
import { downloadExport } from './requests';
import type { Rights } from './rights';

export interface Around {
  /** Leaves out what stands beside the menu already: edit and chat. */
  readonly brief: boolean;
  /** Beside a form with unsaved work: what would replace it waits. */
  readonly dirty: boolean;
  readonly copy: () => Promise<void>;
  readonly switchOn: () => Promise<void>;
  readonly show: (dialog: 'publication' | 'share' | 'import' | 'versions' | 'suspension' | 'delete') => Promise<void>;
}

/** What the reader may do with an assistant, as items of its menu. */
export default function itemsOf(
  assistant: Assistant,
  { edit, administer, create, chat }: Rights,
  { brief: isBrief, dirty: isDirty, ...acts }: Around,
): readonly MenuItem[] {
  const waits = isDirty ? { disabled: true, note: t('assistants.unsaved_first') } : {};
  const all: readonly (MenuItem & { readonly when: boolean })[] = [
    { when: edit && !isBrief, label: t('shell.edit'), icon: Pencil, href: pageOf(assistant), testid: 'action-edit' },
    {
      when: chat && !isBrief,
      label: t('assistants.student_view'),
      icon: MessageSquare,
      href: chatOf(assistant),
      testid: 'action-chat',
    },
    {
      when: create && edit,
      label: t('assistants.duplicate'),
      icon: Copy,
      onselect: () => void acts.copy(),
      testid: 'action-duplicate',
    },
    {
      when: administer,
      label: t(assistant.published ? 'assistants.publication' : 'assistants.publish'),
      icon: Globe,
      onselect: () => void acts.show('publication'),
      testid: 'action-publish',
    },
    {
      when: administer,
      label: t('assistants.share'),
      icon: Share,
      onselect: () => void acts.show('share'),
      testid: 'action-share',
    },
    {
      when: edit,
      label: t('assistants.export'),
      icon: Download,
      divided: true,
      onselect: () => void toasts.attempt(() => downloadExport(assistant)),
      testid: 'action-export',
    },
    {
      when: edit,
      label: t('assistants.import_into'),
      icon: Upload,
      onselect: () => void acts.show('import'),
      testid: 'action-import',
      ...waits,
    },
    {
      when: edit,
      label: t('assistants.versions'),
      icon: History,
      onselect: () => void acts.show('versions'),
      testid: 'action-versions',
      ...waits,
    },
    {
      when: administer,
      label: t(assistant.disabled ? 'assistants.switch_on' : 'assistants.switch_off'),
      icon: Power,
      divided: true,
      onselect: () => void (assistant.disabled ? acts.switchOn() : acts.show('suspension')),
      testid: 'action-suspend',
    },
    {
      when: administer,
      label: t('assistants.delete'),
      icon: Trash,
      danger: true,
      onselect: () => void acts.show('delete'),
      testid: 'action-delete',
    },
  ];
  return all.filter(({ when }) => when);
}

export type ItemsOf = typeof itemsOf;
