import type { Mail } from '../../../integrations/mailer.ts';
import type { describeAlert } from './describe-alert.ts';

type MailInput = ReturnType<typeof describeAlert> & {
  /** Of the account's person. */
  name: string;
  alertCount: number;
  /** Whether the list of alerts has it. */
  isListed: boolean;
  baseUrl: string;
};

/** Plain text, so that nothing in a name becomes markup. */
export const alertMail = (input: MailInput): Pick<Mail, 'subject' | 'text'> => {
  const { name, title, detail, href, alertCount, baseUrl } = input;
  const lines = [
    `Hello ${withoutLinks(name)},`,
    withoutLinks(`${title}.`),
    withoutLinks(detail),
    `${baseUrl}${href}`,
    ...(alertCount > 1 ? [othersOf(input)] : []),
    `You choose which alerts are mailed to you: ${baseUrl}/dashboard/alerts/settings`,
    `Holdfast, ${baseUrl}`,
  ];
  return { subject: withoutLinks(title), text: `${lines.join('\n\n')}\n` };
};

const othersOf = ({ alertCount, isListed, baseUrl }: MailInput): string =>
  `This mail stands for ${alertCount} alerts of the same kind; this is the newest one.${isListed ? ` All are in your list: ${baseUrl}/dashboard/alerts` : ''}`;

/** Mail programs make links of addresses, of bare domains too, and a name may be one. Only ours are to be followed. */
export const withoutLinks = (text: string): string =>
  text.replaceAll('://', ': //').replace(/[.\u3002\uff0e\uff61](?=\p{L}{2})/gu, '$& ');
