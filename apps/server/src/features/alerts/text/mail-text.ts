import type { Mail } from '../../../integrations/mailer.ts';
import type { describeAlert } from './describe-alert.ts';

type MailInput = ReturnType<typeof describeAlert> & {
  /** Without the names of servers and people. */
  subject: string;
  /** Of the account's person. */
  name: string;
  alertCount: number;
  /** Whether the list of alerts has it. */
  isListed: boolean;
  baseUrl: string;
};

/** Plain text, so that nothing in a name becomes markup. */
export const alertMail = (input: MailInput): Pick<Mail, 'subject' | 'text'> => {
  const { name, subject, title, detail, href, alertCount, baseUrl } = input;
  const lines = [
    `Hello ${withoutLinks(name)},`,
    withoutLinks(`${title}.`),
    withoutLinks(detail),
    `${baseUrl}${href}`,
    ...(alertCount > 1 ? [othersOf(input)] : []),
    `You choose which alerts are mailed to you: ${baseUrl}/dashboard/alerts/settings`,
    `Holdfast, ${baseUrl}`,
  ];
  return { subject: withoutLinks(subject), text: `${lines.join('\n\n')}\n` };
};

const othersOf = ({ alertCount, isListed, baseUrl }: MailInput): string =>
  `This mail stands for ${alertCount} alerts of the same kind; this is the newest one.${isListed ? ` All are in your list: ${baseUrl}/dashboard/alerts` : ''}`;

/**
 * Mail programs make links of addresses, of bare domains too, and a name may be one. Only ours are to be followed.
 * A dot is whatever is one in a domain, and letters of some scripts have marks; what shows nothing does not count.
 */
export const withoutLinks = (text: string): string =>
  text
    .replaceAll('://', ': //')
    .replace(
      /[.\u2024\u3002\ufe52\uff0e\uff61](?=[\p{Cf}\p{Default_Ignorable_Code_Point}]*\p{Alphabetic}[\p{Cf}\p{Default_Ignorable_Code_Point}]*[\p{Alphabetic}\p{M}])/gu,
      '$& ',
    );
