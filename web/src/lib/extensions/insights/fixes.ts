import type { BaseRef } from './insights.types';

/** Servers refuse addresses of more than 16 kB; a letter takes up to nine bytes of one. */
const MOST_LETTERS = 1_500;

/** The page of the tests, with the form of a new test open that asks this question. */
export function newTestHref(assistantId: number, question: string): string {
  const letters = [...question.trim()].slice(0, MOST_LETTERS).join('');
  return `/assistants/${assistantId}/tests?${new URLSearchParams({ question: letters })}`;
}

export const baseHref = ({ id }: Pick<BaseRef, 'id'>): string => `/knowledge-bases/${id}`;

/** The document among those of its knowledge base. */
export const documentHref = (base: Pick<BaseRef, 'id'>, documentId: string): string =>
  `${baseHref(base)}#document-${documentId}`;

/** Knowledge bases to which the reader may add material. */
export const editableOf = (bases: readonly BaseRef[]): readonly BaseRef[] => bases.filter(({ editable }) => editable);

export const ratedHref = (assistantId: number, rating: 'up' | 'down', from: string, to: string): string =>
  `/runs?${new URLSearchParams({ assistant: String(assistantId), rating, from, to })}`;
