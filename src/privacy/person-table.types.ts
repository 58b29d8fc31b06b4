/** Kinds of personal data, as reports and exports name them. */
export const DATA_KINDS = [
  'account',
  'sign_in',
  'conversations',
  'runs',
  'usage',
  'assistants',
  'knowledge_bases',
  'rubrics',
  'prompt_templates',
  'external_collections',
  'files',
  'shares',
  'audit',
  'technical',
] as const;
export type DataKind = (typeof DATA_KINDS)[number];

/**
 * Treatment of a person's rows by an erasure. `content`: handed over or deleted, by rules of its own. `account`: deleted with
 * the membership. `audit`: redacted by the audit log.
 */
export type Erasure =
  | { readonly by: 'delete' | 'content' | 'account' | 'audit' }
  /** `set` is the SET clause of an UPDATE, after which `rows` no longer matches. */
  | { readonly by: 'anonymise'; readonly set: string }
  /** `statement` joins the rows with anonymous ones in one step and returns one row for each that it removed. */
  | { readonly by: 'merge'; readonly statement: string };

/** A table with rows about people. SQL texts name the table `t`; `$1` is the organization, `$2` the person. */
export interface PersonTable {
  readonly table: string;
  readonly kind: DataKind;
  /** Columns that refer to a person or describe one. */
  readonly columns: readonly string[];
  /** Condition for the rows about the person. */
  readonly rows: string;
  /** Text expression that orders the rows and is unique. */
  readonly key: string;
  /**
   * Columns that leave the service in the person's export, or `expression AS name`. Every other column stays, a new one too
   * until it is listed. `as_asker`: the runs leave as `GET /runs/{id}` shows them to an asker who edits nothing. Null: nothing
   * leaves, since the rows repeat others or are not for the person.
   */
  readonly exported: readonly string[] | 'as_asker' | null;
  /** Contents that administrators cannot read elsewhere: they leave for the person, an owner or the operator. */
  readonly isConfidential?: true;
  readonly erasure: Erasure;
  /** Condition on `runs t` whose stored lines are deleted in the transaction of the erasure, before the rows are treated. */
  readonly lines?: string;
}
