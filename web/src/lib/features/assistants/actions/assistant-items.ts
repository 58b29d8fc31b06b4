import Chart from '@lucide/svelte/icons/chart-column';
import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import FlaskConical from '@lucide/svelte/icons/flask-conical';
import Globe from '@lucide/svelte/icons/globe';
import History from '@lucide/svelte/icons/rotate-ccw';
import MessageSquare from '@lucide/svelte/icons/message-square';
import Pencil from '@lucide/svelte/icons/pencil';
import Power from '@lucide/svelte/icons/power';
import Share from '@lucide/svelte/icons/share-2';
import Trash from '@lucide/svelte/icons/trash';
import Upload from '@lucide/svelte/icons/upload';
import type { Component } from 'svelte';
import { goto } from '$app/navigation';
import { chatOf, pageOf, type Assistant } from '$lib/app/catalogues/assistant';
import { hasPage } from '$lib/app/session/extensions';
import { t } from '$lib/kit/i18n/i18n.svelte';
import type { MenuItem } from '$lib/kit/ui/Menu.svelte';
import { toasts } from '$lib/kit/ui/toasts.svelte';
import { downloadExport, duplicate, suspend } from './requests';
import type { ActionProps, Rights } from './rights';

export type ActionDialog = Component<ActionProps, object, 'open'>;

const DIALOGS = {
  publication: () => import('./PublicationDialog.svelte'),
  share: () => import('./ShareDialog.svelte'),
  suspension: () => import('./SuspensionDialog.svelte'),
  versions: () => import('./VersionsDialog.svelte'),
  delete: () => import('./DeleteDialog.svelte'),
  import: () => import('./ImportIntoDialog.svelte'),
};

export interface Around {
  /** Leaves out what stands beside the menu already: edit and chat. */
  readonly brief: boolean;
  /** Beside a form with unsaved work: what would replace it waits. */
  readonly dirty: boolean;
  /** The assistant after a change, or null when it was deleted. */
  readonly onchange: (assistant: Assistant | null) => void;
  /** A copy was made. */
  readonly oncreated: ((assistant: Assistant) => void) | undefined;
  readonly show: (load: () => Promise<{ default: ActionDialog }>) => void;
}

const copy = (assistant: Assistant, oncreated: Around['oncreated']): Promise<void> =>
  toasts.attempt(async () => {
    const made = await duplicate(assistant);
    toasts.success(t('assistants.duplicated', { name: made.name }), {
      label: t('assistants.open'),
      run: () => void goto(pageOf(made)),
    });
    oncreated?.(made);
  });

const switchOn = (assistant: Assistant, onchange: Around['onchange']): Promise<void> =>
  toasts.attempt(async () => {
    onchange(await suspend(assistant, false));
    toasts.success(t('assistants.switched_on', { name: assistant.name }));
  });

/** Actions of the reader on an assistant, as items of its menu. */
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
      onselect: () => void copy(assistant, acts.oncreated),
      testid: 'action-duplicate',
    },
    {
      when: edit,
      label: t('tests.title'),
      icon: FlaskConical,
      href: `/assistants/${assistant.id}/tests`,
      testid: 'action-tests',
      ...waits,
    },
    {
      when: edit,
      label: t('insights.title'),
      icon: Chart,
      href: `/assistants/${assistant.id}/insights`,
      testid: 'action-insights',
      ...waits,
    },
    {
      when: administer,
      label: t(assistant.published ? 'assistants.publication' : 'assistants.publish'),
      icon: Globe,
      onselect: () => acts.show(DIALOGS.publication),
      testid: 'action-publish',
    },
    {
      when: administer,
      label: t('assistants.share'),
      icon: Share,
      onselect: () => acts.show(DIALOGS.share),
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
      onselect: () => acts.show(DIALOGS.import),
      testid: 'action-import',
      ...waits,
    },
    {
      when: edit,
      label: t('assistants.versions'),
      icon: History,
      onselect: () => acts.show(DIALOGS.versions),
      testid: 'action-versions',
      ...waits,
    },
    {
      when: administer,
      label: t(assistant.disabled ? 'assistants.switch_on' : 'assistants.switch_off'),
      icon: Power,
      divided: true,
      onselect: () => (assistant.disabled ? void switchOn(assistant, acts.onchange) : acts.show(DIALOGS.suspension)),
      testid: 'action-suspend',
    },
    {
      when: administer,
      label: t('assistants.delete'),
      icon: Trash,
      danger: true,
      onselect: () => acts.show(DIALOGS.delete),
      testid: 'action-delete',
    },
  ];
  return all.filter(({ when, href }) => when && (href === undefined || hasPage(href)));
}

export type ItemsOf = typeof itemsOf;
