export interface ToolParameter {
  readonly name: string;
  readonly description: string;
  readonly type?: string;
  readonly required?: boolean;
}

/** The texts by which a tool is chosen. */
export interface ToolText {
  readonly name: string;
  readonly description: string;
  /** Values that the question has to give; absent for a tool with settings only. */
  readonly parameters?: readonly ToolParameter[];
  /** Questions that the tool is for. */
  readonly examples?: readonly string[];
  /** Name and description in other languages. */
  readonly translations?: readonly Pick<ToolText, 'name' | 'description'>[];
}
