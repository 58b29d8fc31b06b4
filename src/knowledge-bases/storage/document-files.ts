/** An uploaded file in the blob store. */
export interface StoredFile {
  readonly storageName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Failure of the newest upload. */
export interface Setback {
  readonly error: string | null;
  readonly errorCode: string | null;
}

/** The columns of a document about its files. The row itself describes the newest upload. */
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

/** The file that the current passages come from; before there are any, the upload. */
export const answeringFile = (row: Files): StoredFile => row.answering ?? row;

/** The file to process next. */
export const fileToRead = (row: Files): StoredFile => (row.setback === null ? row : answeringFile(row));

/** New column values for a replacing upload. The answering file stays until the new one is processed. */
export function replacement(row: Files, upload: StoredFile) {
  const answering = row.answering ?? (row.generation === null ? null : fileOf(row));
  const unused = answering?.storageName === row.storageName ? [] : [row.storageName];
  return { ...fileOf(upload), answering, unusedFiles: [...row.unusedFiles, ...unused] };
}

/** New column values when processing succeeded. */
export function processed({ answering, setback, unusedFiles }: Files) {
  if (setback !== null) return { status: 'failed', ...setback, setback: null } as const;
  const unused = answering === null ? [] : [answering.storageName];
  const files = { answering: null, unusedFiles: [...unusedFiles, ...unused] };
  return { status: 'completed', error: null, errorCode: null, ...files } as const;
}

/** Storage names of all files of a document. */
export const allFiles = ({ storageName, answering, unusedFiles }: Files): string[] => [
  storageName,
  ...(answering === null ? [] : [answering.storageName]),
  ...unusedFiles,
];
