/** One uploaded file. */
export class FileDto {
  id!: string;
  /** Path inside the owner's file space: what `file_path` in a tool's config names. */
  path!: string;
  /** Decided by content, not by the name or the client. */
  content_type!: string;
  /** Bytes. */
  size!: number;
  sha256!: string;
  created_at!: Date;
  updated_at!: Date;
}

export class UploadedFilesDto {
  items!: FileDto[];
}

export class FilePageDto {
  items!: FileDto[];
  next_cursor!: string | null;
  total!: number;
}
