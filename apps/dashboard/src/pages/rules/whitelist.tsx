import { whitelistList } from './rule-lists.ts';
import { RulesPage } from './rules-page.tsx';

export const Whitelist = () => (
  <RulesPage
    list={whitelistList}
    title="Whitelist"
    description="Whoever fits one of these rules comes in: firewall, VPN, second account and account age are not asked about."
    emptyWords="Everybody goes through all checks. Add a rule for those you know and trust; an appeal that you accept adds one, too."
    mayAdd
  />
);
