/** An upload as it lies in the store. */
export interface StoredFile {
  readonly storageName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Why the newest upload does not answer. */
export interface Setback {
  readonly error: string | null;
  readonly errorCode: string | null;
}

/** The newest upload stands in the row itself. */
interface Files extends StoredFile {
  readonly answering: StoredFile | null;
  readonly setback: Setback | null;
  readonly generation: string | null;
  readonly unusedFiles: readonly string[];
}

const fileOf = ({ storageName, contentType, size, sha256 }: StoredFile): StoredFile => ({
  storageName,
  contentType,
  size,
  sha256,
});

/** What its passages are from, and whoever follows a citation wants to see; before there are any, what was uploaded. */
export const answeringFile = (row: Files): StoredFile => row.answering ?? row;

/** What the next processing is about. */
export const fileToRead = (row: Files): StoredFile => (row.setback === null ? row : answeringFile(row));

/** What changes when another file is to replace those there are: the one that answers stays until the new one does. */
export function replacement(row: Files, upload: StoredFile) {
  const answering = row.answering ?? (row.generation === null ? null : fileOf(row));
  const unused = answering?.storageName === row.storageName ? [] : [row.storageName];
  return { ...fileOf(upload), answering, unusedFiles: [...row.unusedFiles, ...unused] };
}

/** What changes, with the chunks, when a processing has succeeded. */
export function switched({ answering, setback, unusedFiles }: Files) {
  if (setback !== null) return { status: 'failed', ...setback, setback: null } as const;
  const unused = answering === null ? [] : [answering.storageName];
  const files = { answering: null, unusedFiles: [...unusedFiles, ...unused] };
  return { status: 'completed', error: null, errorCode: null, ...files } as const;
}

/** Everything that lies in the store for it. */
export const allFiles = ({ storageName, answering, unusedFiles }: Files): string[] => [
  storageName,
  ...(answering === null ? [] : [answering.storageName]),
  ...unusedFiles,
];
