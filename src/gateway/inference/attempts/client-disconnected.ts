/** The client disconnected before its answer was complete. No reply can be sent, so it has no error code of API §1. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
  /** As attempts and traces show it. */
  readonly code = "client_disconnected";

  constructor() {
    super("The client disconnected before the answer was complete.");
  }
}
