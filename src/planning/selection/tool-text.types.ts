export interface ToolParameter {
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly required?: boolean;
}

/** What is known of a tool when it is chosen. */
export interface ToolText {
  readonly name: string;
  readonly description: string;
  /** What the question itself has to give; nothing where a tool is told everything by its settings. */
  readonly parameters?: readonly ToolParameter[];
  readonly examples?: readonly string[];
}
