import type { PlanName } from '@holdfast/contract';
import type { Mail } from '../../../integrations/mailer.ts';
import { withoutLinks } from '../../alerts/text/mail-text.ts';

type MailInput = { name: string; plan: PlanName; until: Date; baseUrl: string };

/** A month that was paid in advance ends soon. */
export const periodEndingMail = (input: MailInput): Pick<Mail, 'subject' | 'text'> => {
  const { name, plan, until, baseUrl } = input;
  const lines = [
    `Hello ${withoutLinks(name)},`,
    `The time you paid for ends on ${dayOf(until)}. It does not renew itself.`,
    `To keep the ${plan} plan, pay for another month before then: it is added to the end. Otherwise the account goes to the FREE plan. Nothing is deleted then, but what the FREE plan lacks stops working.`,
    `Holdfast, ${baseUrl}`,
  ];
  return { subject: `Your ${plan} plan ends on ${dayOf(until)}`, text: `${lines.join('\n\n')}\n` };
};

const dayOf = (date: Date): string =>
  date.toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'long', year: 'numeric' },
    timeZone: 'UTC',
  });
