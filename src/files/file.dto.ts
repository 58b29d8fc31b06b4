import { MayBeOmitted, QueryBetween, PageOf } from '../infrastructure/http';

/** One uploaded file. */
export class FileDto {
  id!: string;
  /** Path in the owner's file space, for `file_path` in a tool's config. */
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

export class FilePageDto extends PageOf(FileDto) {}

/** Text of a file for assistants: extracted from documents, plain text as uploaded. */
export class FileTextDto {
  path!: string;
  text!: string;
  /** UTF-16 code units of `text`. */
  chars!: number;
  /** UTF-16 code units of the whole file's text. */
  total_chars!: number;
  truncated!: boolean;
  /** Parts that could not be read, such as pages without text. */
  warnings!: string[];
}

export class FileTextQueryDto {
  /** Limit of the text in UTF-16 code units. */
  @MayBeOmitted() @QueryBetween(1, 100_000, { required: false }) max_chars: number = 4_000;
}
