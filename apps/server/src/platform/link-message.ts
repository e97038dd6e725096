/** A message of the bot: an embed, and a button below it that opens an address. */
export type LinkMessage = {
  title: string;
  text: string;
  color: number;
  /** The platform reads the picture from there. */
  imageUrl: string | null;
  button: { label: string; url: string };
};

export type LinkMessagePlatform = {
  /**
   * Of messages with the same id, within a few minutes, one is written; its id on the platform is
   * returned. After a longer time `findLinkMessages` tells whether it was written.
   * Fails with `missingPermission` where the platform would show the button alone.
   */
  postLinkMessage(channelId: string, message: LinkMessage & { id: string }): Promise<string>;
  editLinkMessage(channelId: string, messageId: string, message: LinkMessage): Promise<void>;
  /** The bot's own messages since then that have a button with this address, the newest first. */
  findLinkMessages(
    channelId: string,
    sought: { authorId: string; url: string; since: Date },
  ): Promise<string[]>;
  /** Fails with `unknownMessage` where it is not there. */
  readMessageId(channelId: string, messageId: string): Promise<string>;
  deleteMessage(channelId: string, messageId: string): Promise<void>;
};
