import type { PlanName } from '@holdfast/contract';
import type { Mail } from '../../../integrations/mailer.ts';
import type { NoticeKind } from '../table.ts';

type MailInput = { name: string; plan: PlanName; until: Date; baseUrl: string };

export const noticeMail = (kind: NoticeKind, input: MailInput): Pick<Mail, 'subject' | 'text'> => {
  const { subject, lines } = texts[kind](input);
  const text = [`Hello ${input.name},`, ...lines, `Holdfast, ${input.baseUrl}`].join('\n\n');
  return { subject, text: `${text}\n` };
};

const texts: Record<NoticeKind, (input: MailInput) => { subject: string; lines: string[] }> = {
  PAYMENT_FAILED: ({ plan, until }) => ({
    subject: `Your payment for the ${plan} plan failed`,
    lines: [
      `The payment for your ${plan} plan did not go through. Nothing has changed yet: your servers, backups and members are as they were.`,
      `Please see to it that the next attempt succeeds. If none does until ${dayOf(until)}, the account goes to the FREE plan. Nothing is deleted then, but what the FREE plan lacks stops working.`,
    ],
  }),
  PERIOD_ENDING: ({ plan, until }) => ({
    subject: `Your ${plan} plan ends on ${dayOf(until)}`,
    lines: [
      `The time you paid for ends on ${dayOf(until)}. It does not renew itself.`,
      `To keep the ${plan} plan, pay for another month before then: it is added to the end. Otherwise the account goes to the FREE plan. Nothing is deleted then, but what the FREE plan lacks stops working.`,
    ],
  }),
};

const dayOf = (date: Date): string =>
  date.toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'long', year: 'numeric' },
    timeZone: 'UTC',
  });
