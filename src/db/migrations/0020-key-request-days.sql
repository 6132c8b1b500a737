-- expand, oldest release 1.0.0
--
-- Requests of each key on each day of the instance's zone, by outcome: `complete`, `interrupted`, the status of an error, or the reason of a
-- 401. The service adds to it in batches and removes what is older than a month, so it is bounded by the number of keys.

create table api_key_request_day (
  api_key_id text not null,
  day date not null,
  outcome text not null check (length(outcome) <= 40),
  requests bigint not null check (requests > 0),
  primary key (api_key_id, day, outcome)
);

-- What is known of the days before.
insert into api_key_request_day (api_key_id, day, outcome, requests)
select api_key_id, day, 'complete', pages
from api_key_day
where day > (clock_timestamp() at time zone 'UTC')::date - 30
union all
select api_key_id, (happened_at at time zone i.time_zone)::date, reason, count(*)
from refusal
cross join instance i
where api_key_id is not null
group by 1, 2, 3;
