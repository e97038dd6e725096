export type Mail = {
  /** The same however often it is sent: whoever receives it twice can tell. */
  id: string;
  to: { name: string; address: string };
  subject: string;
  text: string;
};

export type Mailer = {
  /** Throws where the mail was not taken; it may then be sent again. */
  send(mail: Mail): Promise<void>;
};

/** Names are other people's text: a line's end in one would begin a header of their own. */
export const asHeader = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
