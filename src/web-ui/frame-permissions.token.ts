/** Injection token of `FramePermissions`, bound by the module that knows the platforms of courses. */
export const FRAME_PERMISSIONS = Symbol('FRAME_PERMISSIONS');

/** The sites that may show the chat in a frame because they launched an activity. */
export interface FramePermissions {
  /** Origins for the id of an activity; empty for an unknown one. */
  ancestorsOf(activity: string): Promise<readonly string[]>;
}
